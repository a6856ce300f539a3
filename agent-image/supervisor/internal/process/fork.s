// This file lets Go accept the functions of fork.go without a body, which the runtime implements.
