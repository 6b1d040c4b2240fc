import type { Command } from 'commander';
import { Problem } from '../../errors/problem.ts';
import type { Operation } from '../../operations/operation.ts';
import type { ParamTexts } from '../../operations/param.ts';
import type { Drawing } from '../../render/chart/drawing.ts';
import { type DataFlags, type OutputChoice, outputChoice, withDataFlags } from '../options/flags.ts';
import type { Picture } from '../options/plot.ts';
import { givenBy, type RequestFlags, withRequestFlags } from '../options/request.ts';
import { answer, type Failure, type Question, type Shape } from '../run/answer.ts';
import { type Session, withSession } from '../run/session.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { reportFailure } from '../terminal/messages.ts';
import { progress } from '../terminal/progress.ts';

/** The flags of a command that asks an operation. */
type QueryFlags = DataFlags & RequestFlags & { readonly sort?: 'desc' | 'asc' };

/** What a command adds to the operation that it asks. */
export type QueryCommand = {
  /** Flags that are no parameter of the operation. */
  readonly addFlags?: (command: Command) => void;
  /** The questions to ask, from what was typed and the parameters that the flags give. */
  readonly questions?: (
    typed: readonly string[],
    given: ParamTexts,
    flags: QueryFlags,
    session: Session,
  ) => Promise<readonly Question[]>;
  /** How the rows are shown, where that is not just as the operation declares them. */
  readonly shape?: (flags: QueryFlags, output: OutputChoice, session: Session) => Promise<Shape | undefined>;
  /** How the rows are drawn; a command without it has no charts. */
  readonly drawing?: (
    questions: readonly Question[],
    given: ParamTexts,
    flags: QueryFlags,
    session: Session,
  ) => Promise<Drawing>;
  /** A better error for a question that failed. */
  readonly explain?: (failure: Failure, session: Session) => Promise<unknown>;
  /** What to say of the questions that were answered. */
  readonly remark?: (
    answered: readonly Question[],
    given: ParamTexts,
    session: Session,
    flags: QueryFlags,
  ) => Promise<void>;
};

/** The command of an operation: its flags and arguments come from the operation, what is special from `special`. */
export function queryCommand(
  command: Command,
  operation: Operation,
  special: QueryCommand,
  io: Io,
  done: (code: number) => void,
): void {
  withRequestFlags(withDataFlags(command), operation);
  special.addFlags?.(command);
  if (special.drawing !== undefined)
    command.option('--plot', 'draw a chart as wide as the terminal; -o chart.svg draws it into a file');
  command.action(async () => {
    const flags = command.opts<QueryFlags>();
    done(await runQuery(operation, special, command.args, flags, io));
  });
}

async function runQuery(
  operation: Operation,
  special: QueryCommand,
  typed: readonly string[],
  flags: QueryFlags,
  io: Io,
): Promise<number> {
  const output = outputChoice(flags, io, special.drawing !== undefined);
  const chart = output.plot || output.format === 'svg' ? await import('../options/plot.ts') : undefined;
  chart?.checkChartFlags(flags, output);
  if (flags.all === true && flags.limit !== undefined)
    throw new Problem('bad-input', 'use either --all or --limit');
  return withSession(flags, io, async (session) => {
    const given = givenBy(flags, operation, io, session.talk);
    const questions = await (special.questions ?? onlyQuestion(operation))(typed, given, flags, session);
    if (flags.cursor !== undefined && questions.length !== 1)
      throw new Problem('bad-input', '--cursor continues one series: name one id');
    const shape = await special.shape?.(flags, output, session);
    const drawing = chart && (await special.drawing?.(questions, given, flags, session));
    const picture: Picture | undefined = drawing && { drawing, size: chart.textSize(output, io) };
    const started = io.clock().getTime();
    const { rows, failures } = await answer({
      client: session.client,
      operation,
      questions,
      extent: { limit: flags.limit, cursor: flags.cursor },
      everything: flags.all === true,
      ascending: flags.sort === 'asc',
      output,
      io,
      talk: session.talk,
      progress: progress(io, flags),
      ...(shape !== undefined && { shape }),
      ...(picture !== undefined && { picture }),
    });
    io.runner?.answered(rows);
    const failed = new Set(failures.map(({ question }) => question));
    await special.remark?.(
      questions.filter((question) => !failed.has(question)),
      given,
      session,
      flags,
    );
    session.talk.detail(`asof: ${rows} rows in ${io.clock().getTime() - started} ms`);
    const codes: number[] = [];
    for (const failure of failures) {
      const error = (await special.explain?.(failure, session)) ?? failure.error;
      codes.push(reportFailure(error, flags, io));
    }
    return codes[0] ?? (rows === 0 && output.failEmpty ? exitCode.empty : exitCode.success);
  });
}

/** The one question of an operation whose command takes at most one argument. */
function onlyQuestion({ command: { argument } }: Operation) {
  return async ([text]: readonly string[], given: ParamTexts): Promise<readonly Question[]> => {
    const typed: ParamTexts = argument === undefined || text === undefined ? [] : [[argument, text]];
    return [{ given: [...typed, ...given], label: text ?? '' }];
  };
}
