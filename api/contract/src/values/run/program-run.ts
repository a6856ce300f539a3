/** The header with which the door of a pod names the run of a program, and the attempt that started it: `RUN/ATTEMPT`. */
export const RUN_OF_REQUEST_HEADER = 'hamlet-run';
