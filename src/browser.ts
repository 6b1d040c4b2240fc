import { remoteClient } from './client/remote/client.ts';
import { requestLimits } from './client/remote/settings.ts';
import type { OpenOptions } from './index.ts';
import { checkArguments, type Kinds, methodNaming, Session } from './library/call.ts';
import { methodsOf } from './library/methods.ts';
import { abortSignal, callable, clockAt, secret, word } from './operations/value.ts';
import { defined } from './platform/defined.ts';

export { Problem } from './errors/problem.ts';

/** Everything that a service answers. */
export type BrowserAsof = ReturnType<typeof methodsOf> & AsyncDisposable & { close(): Promise<void> };

const signature = {
  name: 'open',
  args: [{ name: 'baseUrl', kind: word }],
  params: {
    noun: 'option',
    kinds: {
      ...{ key: secret, ...requestLimits },
      ...{ signal: abortSignal, clock: callable, onNote: callable },
    } satisfies Kinds<OpenOptions>,
  },
} as const;

/** Opens a service for a page, which asks it by `fetch`; the service must allow the page's origin. */
export function open(baseUrl: string, options: OpenOptions = {}): BrowserAsof {
  checkArguments(signature, [baseUrl, options], clockAt(new Date()));
  const { signal = new AbortController().signal, clock = () => new Date(), onNote, ...others } = options;
  const session = new Session(signal, clock);
  const client = remoteClient({ baseUrl, ...others, signal, clock, env: {} });
  const source = { client, session, signal, clock, naming: methodNaming, ...defined({ note: onNote }) };
  const close = async (): Promise<void> => {
    session.close();
    await client.close();
  };
  return { ...methodsOf(source), close, [Symbol.asyncDispose]: close };
}
