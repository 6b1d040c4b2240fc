import { newRequestId } from '../service/service.ts';
import type { Admission } from './keys/gate.ts';

/** One request and what is known of it so far, for the headers of its answer and for the log. */
export type Exchange = {
  readonly requestId: string;
  readonly now: Date;
  readonly request: Request;
  /** The pattern of the endpoint. The path itself may hold a secret and is never logged. */
  route?: string;
  admission?: Admission;
};

/** A new exchange for a request. */
export function beginExchange(request: Request, now: Date): Exchange {
  return { requestId: newRequestId(now), now, request };
}
