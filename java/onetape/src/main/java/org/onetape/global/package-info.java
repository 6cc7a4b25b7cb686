/** The static functions, element types and constants. */
package org.onetape.global;
