import { oncePerTurn } from '../platform/turn.ts';
import type { Service } from '../service/service.ts';

/** A service, and how to let go of what it holds. */
export type OpenService = { readonly service: Service; readonly close: () => Promise<void> };

/** The use of a service by one request; it stays open until it is released. */
type Lease = {
  readonly service: Service;
  /** The service's state, as of this turn of the event loop. */
  readonly state: () => Promise<string>;
  readonly release: () => void;
};

/** The service that answers now, which can be replaced while requests are being answered. */
export type Services = {
  lease(): Lease;
  /** Requests from now on go to the next one; the one before is closed when its last request is done. */
  replace(next: OpenService): void;
  /** Closes the service when its last request is done. */
  close(): Promise<void>;
};

/** Services that begin with one. */
export function createServices(first: OpenService): Services {
  let current = holding(first);
  return {
    lease: () => current.lease(),
    replace(next) {
      const before = current;
      current = holding(next);
      before.retire();
    },
    close() {
      current.retire();
      return current.closed;
    },
  };
}

function holding({ service, close }: OpenService) {
  let users = 0;
  let retired = false;
  const state = oncePerTurn(() => service.state());
  let settle: (closing: Promise<void>) => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const leave = (): void => {
    if (retired && users === 0) settle(close());
  };
  return {
    closed,
    lease(): Lease {
      users += 1;
      let released = false;
      return {
        service,
        state,
        release() {
          if (released) return;
          released = true;
          users -= 1;
          leave();
        },
      };
    },
    retire() {
      if (retired) return;
      retired = true;
      leave();
    },
  };
}
