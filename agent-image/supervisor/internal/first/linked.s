// This file lets Go accept the function of limit.go without a body, which another package implements.
