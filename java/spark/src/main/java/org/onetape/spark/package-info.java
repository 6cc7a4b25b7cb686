/** Training on the executors of Apache Spark. */
package org.onetape.spark;
