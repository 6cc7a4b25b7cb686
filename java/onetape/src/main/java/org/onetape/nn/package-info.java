/** Modules: parts of models with parameters, and the losses that train them. */
package org.onetape.nn;
