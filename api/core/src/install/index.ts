export { failureOfInstall, type InstallFailure } from './install-failure.ts';
export { installCommand, installPlan, nameOf, type InstallCall, type InstallPlan } from './install-plan.ts';
export { installedIn, type InstalledPackage } from './installed-in.ts';
