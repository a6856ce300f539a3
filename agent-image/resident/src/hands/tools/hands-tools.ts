import type { Tool } from '@hamlet/engine';
import type { HandsKit } from '../hands-tool.ts';
import { deliver } from './deliver.ts';
import { fileTools } from './files.ts';
import { findTools } from './find.ts';
import { git } from './git.ts';
import { installPackage } from './install-package.ts';
import { processTools } from './processes.ts';
import { browserTools } from '../../net/browser.ts';
import { callAgent } from '../../net/call-agent.ts';
import { webSearch } from '../../net/web-search.ts';
import { webTools } from '../../net/web.ts';
import { rememberDocuments } from './remember-documents.ts';
import { runScript } from './run-script.ts';
import { shell } from './shell.ts';
import { waitFor } from './wait-for.ts';

export const handsTools = (kit: HandsKit): readonly Tool[] => [
  shell(kit),
  git(kit),
  installPackage(kit),
  runScript(kit),
  ...processTools(kit),
  waitFor(kit),
  ...fileTools(kit),
  ...findTools(kit),
  rememberDocuments(kit),
  ...webTools(kit),
  ...(kit.search === null ? [] : [webSearch(kit, kit.search)]),
  ...(kit.outsideAgents.length === 0 ? [] : [callAgent(kit)]),
  ...browserTools(kit),
  deliver(kit),
];
