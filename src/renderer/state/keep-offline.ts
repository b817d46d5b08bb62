/** "Keep these N for offline": a queue of profiles that are fetched one by one, told as it goes, and stopped at will. */
import { create } from 'zustand';
import { currentConnection } from './connection.ts';
import type { Neighbour, NeighbourSource } from './neighbours.ts';
import { fetchEmailPages } from './profile-pages.ts';

export interface Keeping {
  label: string;
  total: number;
  done: number;
  /** Profiles of which not every part could be had. */
  incomplete: number;
  state: 'running' | 'done' | 'stopped';
}

const AT_ONCE = 2;
const BLOCK = 200;
const useStore = create<{ keeping: Keeping | null }>(() => ({ keeping: null }));
let running: AbortController | null = null;

export const useKeeping = (): Keeping | null => useStore(({ keeping }) => keeping);

export function stopKeeping(): void {
  running?.abort();
}

export function dismissKeeping(): void {
  running?.abort();
  useStore.setState({ keeping: null });
}

const put = (change: Partial<Keeping>) =>
  useStore.setState(({ keeping }) => ({ keeping: keeping ? { ...keeping, ...change } : null }));

/** Fetches `count` profiles of a list from `start` on. A second call stops the first. Never rejects. */
export async function keepOffline(source: NeighbourSource, start: number, count: number): Promise<void> {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  const connection = currentConnection();
  if (!connection) return;
  const end = Math.min(source.count, start + count);
  useStore.setState({
    keeping: { label: source.label, total: end - start, done: 0, incomplete: 0, state: 'running' },
  });
  const { signal } = mine;
  let done = 0;
  let incomplete = 0;
  const keep = async (email: Neighbour | null) => {
    const failed = email ? await fetchEmailPages(connection.id, email, connection.product, signal) : 1;
    done += 1;
    if (failed > 0) incomplete += 1;
    if (!signal.aborted) put({ done, incomplete });
  };
  try {
    for (let at = start; at < end; at += BLOCK) {
      signal.throwIfAborted();
      const wanted = Math.min(end, at + BLOCK) - at;
      const rows = await source.rows(at, at + wanted);
      while (rows.length < wanted) rows.push(null);
      const workers = Array.from({ length: AT_ONCE }, async () => {
        for (let email = rows.shift(); email !== undefined; email = rows.shift()) await keep(email);
      });
      await Promise.all(workers);
    }
    if (running === mine) put({ state: 'done' });
  } catch {
    if (running === mine) put({ state: 'stopped' });
  }
}
