/**
 * Tapes: what a function does is recorded once, as the list of the operators that it calls, and run
 * from there without the function.
 */
package org.onetape.jit;
