/// <reference lib="esnext.disposable" preserve="true" />
import { remoteClient } from './client/remote/client.ts';
import { askerOf, checkArguments, type OpenOptions, openKinds } from './library/call.ts';
import { methodsOf } from './library/methods.ts';
import { clockAt, word } from './operations/value.ts';

export { Problem } from './errors/problem.ts';

/** Everything that a service answers. */
export type BrowserAsof = ReturnType<typeof methodsOf> & AsyncDisposable & { close(): Promise<void> };

const signature = {
  name: 'open',
  args: [{ name: 'baseUrl', kind: word }],
  params: { noun: 'option', kinds: openKinds },
} as const;

/** Opens a service for a page, which asks it by `fetch`; the service must allow the page's origin. */
export function open(baseUrl: string, options: OpenOptions = {}): BrowserAsof {
  checkArguments(signature, [baseUrl, options], clockAt(new Date()));
  const { onNote: _, ...others } = options;
  const asker = askerOf(options);
  const { session, signal, clock } = asker;
  const client = remoteClient({ baseUrl, ...others, signal, clock, env: {} });
  const close = async (): Promise<void> => {
    session.close();
    await client.close();
  };
  return { ...methodsOf({ ...asker, client }), close, [Symbol.asyncDispose]: close };
}
