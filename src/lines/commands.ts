import { operations } from '../operations/index.ts';
import type { CommandSpec } from './command.ts';
import { fileCommands } from './file-commands.ts';
import { pullCommands } from './pull-commands.ts';
import { queryCommands } from './query-commands.ts';
import { serviceCommands } from './service-commands.ts';
import { storeCommands } from './store-commands.ts';
import { tableCommands } from './table-commands.ts';

/** Every command of asof, in the order in which help lists them; `inPlan` as they are in the lines of a plan. */
export function allCommands(inPlan = false): readonly CommandSpec[] {
  return [
    ...queryCommands(operations, inPlan),
    ...tableCommands,
    ...fileCommands,
    ...pullCommands,
    ...storeCommands,
    ...serviceCommands,
  ];
}
