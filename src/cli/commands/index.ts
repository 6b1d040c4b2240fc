import type { ParsedLine, QueryLine, VersionLine } from '../../lines/line.ts';
import type { Io } from '../terminal/io.ts';
import { runAuth } from './auth.ts';
import { runCompletion } from './completion.ts';
import { runConfig } from './config.ts';
import { runExplore } from './explore.ts';
import { runFacts } from './facts.ts';
import { runHelp } from './help.ts';
import { runImport, runImportLog } from './import.ts';
import { runKeys } from './keys.ts';
import { runMcp } from './mcp.ts';
import { runPingSources, runPull, runUnfollow } from './pull.ts';
import { runServe } from './serve.ts';
import { runSnapshot } from './snapshot.ts';
import { runStore } from './store.ts';
import { runVerify } from './verify.ts';

/** Does what a line asks for that is not a query, and resolves to the exit code. */
export function runCommand(line: Exclude<ParsedLine, QueryLine | VersionLine>, io: Io): Promise<number> {
  switch (line.command) {
    case 'snapshot':
      return runSnapshot(line, io);
    case 'verify':
      return runVerify(line, io);
    case 'facts':
      return runFacts(line, io);
    case 'import':
      return runImport(line, io);
    case 'import-log':
      return runImportLog(line, io);
    case 'pull':
      return runPull(line, io);
    case 'ping-sources':
      return runPingSources(line, io);
    case 'unfollow':
      return runUnfollow(line, io);
    case 'store init':
    case 'store info':
    case 'store check':
    case 'store backup':
    case 'store restore':
    case 'store copy':
    case 'store merge':
    case 'store undo':
    case 'series rename':
    case 'series rm':
      return runStore(line, io);
    case 'mcp':
      return runMcp(line, io);
    case 'explore':
      return runExplore(line, io);
    case 'serve':
      return runServe(line, io);
    case 'keys create':
    case 'keys list':
    case 'keys revoke':
    case 'keys rotate':
    case 'keys usage':
      return runKeys(line, io);
    case 'auth login':
    case 'auth status':
    case 'auth logout':
      return runAuth(line, io);
    case 'config get':
    case 'config set':
    case 'config unset':
    case 'config list':
    case 'config path':
      return runConfig(line, io);
    case 'completion':
      return runCompletion(line, io);
    case 'help':
      return runHelp(line, io);
  }
}
