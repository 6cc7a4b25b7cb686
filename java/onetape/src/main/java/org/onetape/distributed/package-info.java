/** Training with more than one process: groups of processes that exchange tensors over Gloo. */
package org.onetape.distributed;
