import type { StoreContents } from '../../src/store/contents.ts';
import type { Store, StoreView } from '../../src/store/store.ts';

/** A store that passes requests to another one, except for the view methods that a test replaces. */
export function changedStore(
  store: Store,
  change: (view: StoreView & StoreContents) => Partial<StoreView>,
): Store {
  return {
    address: store.address,
    read: (work) => store.read((view) => work({ ...methodsOf(view), ...change(view) })),
    close: () => store.close(),
  };
}

/** A store that calls `count` each time facts are read; reading its state does not count. */
export function countedStore(store: Store, count: () => void): Store {
  return changedStore(store, (view) => {
    const counted = Object.entries(methodsOf(view)).map(([name, method]) => {
      const call = (...parameters: never[]) => {
        if (name !== 'state') count();
        return (method as (...parameters: never[]) => unknown)(...parameters);
      };
      return [name, call];
    });
    return Object.fromEntries(counted);
  });
}

function methodsOf(view: StoreView & StoreContents): StoreView & StoreContents {
  return {
    seriesIds: () => view.seriesIds(),
    contents: (id) => view.contents(id),
    changes: (id) => view.changes(id),
    seriesTotals: () => view.seriesTotals(),
    size: () => view.size(),
    faults: () => view.faults(),
    state: () => view.state(),
    findSeries: (id) => view.findSeries(id),
    searchSeries: (query) => view.searchSeries(query),
    searchEntries: (query) => view.searchEntries(query),
    searchable: (what, upTo) => view.searchable(what, upTo),
    observations: (query) => view.observations(query),
    dates: (query) => view.dates(query),
    impliedFrequencies: (id) => view.impliedFrequencies(id),
    revisions: (id, date) => view.revisions(id, date),
    vintages: (query) => view.vintages(query),
    acceptedFilings: (numbers) => view.acceptedFilings(numbers),
    symbols: () => view.symbols(),
    filingCounts: () => view.filingCounts(),
    coveredTo: (what, upTo) => view.coveredTo(what, upTo),
    curve: (query) => view.curve(query),
    yields: (query) => view.yields(query),
    spread: (query) => view.spread(query),
    rates: () => view.rates(),
    filings: (query) => view.filings(query),
    clusterTrades: (query) => view.clusterTrades(query),
    tradePlaces: (query) => view.tradePlaces(query),
    filedTrades: (query) => view.filedTrades(query),
    statements: (id) => view.statements(id),
    completeVintages: (id) => view.completeVintages(id),
    imports: () => view.imports(),
    followed: () => view.followed(),
    descriptionChanges: (id) => view.descriptionChanges(id),
  };
}
