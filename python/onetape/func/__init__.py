"""Transformations of functions: ``grad(f)`` is the function that computes the gradient of f, and so on.

They nest: ``grad(grad(f))``, ``jacfwd(jacrev(f))``. Arguments and results may be tuples, lists and dicts of tensors.
"""

from onetape.func._functional_call import functional_call, stack_module_state
from onetape.func._jacobians import hessian, jacfwd, jacrev
from onetape.func._transforms import grad, grad_and_value, jvp, value_and_grad, vjp

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "stack_module_state",
    "value_and_grad",
    "vjp",
]
