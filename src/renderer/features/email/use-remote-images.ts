import { useState } from 'react';
import { useActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { useCall } from '#renderer/bridge/use-call.ts';
import { exact } from '#shared/model/format.ts';
import { hostOf, isRasterData } from './body-blocked.ts';

const NOTHING_SHOWN: ReadonlyMap<string, string> = new Map();
/** One call of `remote.images` takes so many, and addresses of so many characters. */
const MOST_IMAGES = 100;
const MOST_URL = 4096;

/** The pictures that can be asked for. */
export const loadable = (urls: readonly string[]): string[] =>
  urls
    .filter((url) => /^https?:/i.test(url) && url.length <= MOST_URL && hostOf(url) !== null)
    .slice(0, MOST_IMAGES);

export interface RemoteImages {
  /** What came, as data URLs by address; kept for this view only. */
  shown: ReadonlyMap<string, string>;
  load: (urls: readonly string[]) => Promise<void>;
  pending: boolean;
  /** Why nothing came, or how many did not. */
  problem: string | null;
}

/** Remote pictures on request: main loads them, the window never does. */
export function useRemoteImages(): RemoteImages {
  const connectionId = useActiveConnectionId();
  const call = useCall('remote.images');
  const [shown, setShown] = useState(NOTHING_SHOWN);
  const [failed, setFailed] = useState(0);
  const load = async (urls: readonly string[]) => {
    if (connectionId === null) return;
    const answer = await call.run({ connectionId, urls: [...urls] });
    if (answer === null) return;
    const good = answer.images.filter(({ dataUrl }) => isRasterData(dataUrl));
    setShown((now) => new Map([...now, ...good.map(({ url, dataUrl }) => [url, dataUrl] as const)]));
    setFailed(answer.failed.length + answer.images.length - good.length);
  };
  const some = failed > 0 ? `${exact(failed)} ${failed === 1 ? 'image' : 'images'} did not load` : null;
  return { shown, load, pending: call.pending, problem: call.error?.message ?? some };
}
