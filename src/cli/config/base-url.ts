import { type BaseUrl, parseBaseUrl } from '../../client/remote/url.ts';
import { Problem } from '../../errors/problem.ts';
import { type Io, variable } from '../terminal/io.ts';
import { readSettings } from './settings.ts';

/** The service that a command asks, and where its base URL comes from, in words. */
export type ChosenBaseUrl = { readonly base: BaseUrl; readonly from: string };

/** The service to ask, by flag, ASOF_BASE_URL or setting; undefined if the embedded store answers. */
export function chosenBaseUrl(
  io: Io,
  flags: { readonly baseUrl?: string; readonly store?: string },
): ChosenBaseUrl | undefined {
  if (flags.baseUrl !== undefined) {
    if (flags.store !== undefined)
      throw new Problem('bad-input', 'use either --base-url (a service) or --store (a file)');
    return { base: parsed(flags.baseUrl, '--base-url'), from: '--base-url' };
  }
  // A store in a flag overrides a service in a variable or a setting.
  if (flags.store !== undefined) return undefined;
  const named = variable(io, 'ASOF_BASE_URL');
  if (named !== undefined) return { base: parsed(named, 'ASOF_BASE_URL'), from: 'ASOF_BASE_URL' };
  const { base_url } = readSettings(io);
  return base_url === undefined ? undefined : { base: parseBaseUrl(base_url), from: 'the setting base_url' };
}

function parsed(text: string, from: string): BaseUrl {
  try {
    return parseBaseUrl(text);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem('bad-input', `${from}: ${error.detail}`, { field: 'base_url', hints: error.hints });
  }
}

/** Whether requests go unencrypted over a network: plain http to another machine. */
export function isPlain({ origin }: BaseUrl): boolean {
  return !/^https:|^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|$)/.test(origin);
}
