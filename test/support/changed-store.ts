import type { Store, StoreView, WholeView } from '../../src/store/store.ts';

const parts = ['series', 'rates', 'filings', 'sources'] as const;

type Changes = { readonly [P in (typeof parts)[number]]?: Partial<StoreView[P]> };

/** A store that passes requests to another one, except for the view methods that a test replaces. */
export function changedStore(store: Store, change: (view: WholeView) => Changes): Store {
  const changed = (view: WholeView): WholeView => {
    const { series, rates, filings, sources } = change(view);
    return {
      ...view,
      series: { ...view.series, ...series },
      rates: { ...view.rates, ...rates },
      filings: { ...view.filings, ...filings },
      sources: { ...view.sources, ...sources },
    };
  };
  return {
    address: store.address,
    read: (work) => store.read((view) => work(changed(view))),
    close: () => store.close(),
  };
}

/** A store that calls `count` each time facts are read; reading its state does not count. */
export function countedStore(store: Store, count: () => void): Store {
  const counted = (part: object) =>
    Object.fromEntries(
      Object.entries(part).map(([name, method]) => {
        const call = (...parameters: never[]) => {
          count();
          return (method as (...parameters: never[]) => unknown)(...parameters);
        };
        return [name, call];
      }),
    );
  return changedStore(store, (view) => Object.fromEntries(parts.map((part) => [part, counted(view[part])])));
}
