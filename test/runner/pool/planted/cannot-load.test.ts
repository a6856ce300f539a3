/** A test file that throws while it is loaded. */
throw new Error('at the top of the file');
