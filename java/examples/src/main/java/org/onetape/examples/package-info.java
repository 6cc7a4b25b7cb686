/** Programs that show what the library does. */
package org.onetape.examples;
