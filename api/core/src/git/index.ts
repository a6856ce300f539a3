export { gitCommand, pushOfGit, refuseGit, riskOfGit, type GitRefusal, type GitRisk } from './git-call.ts';
export { repositoryId, repositoryName } from './git-call.ts';
