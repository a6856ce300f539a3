export { issuesOfArguments, variablesOf } from './script-arguments.ts';
