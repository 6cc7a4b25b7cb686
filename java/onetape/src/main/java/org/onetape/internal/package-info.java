/** Loading, handles and native entry points; not for use by programs. */
package org.onetape.internal;
