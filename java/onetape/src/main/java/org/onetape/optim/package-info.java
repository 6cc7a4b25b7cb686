/** Optimizers: they change parameters along their gradients. */
package org.onetape.optim;
