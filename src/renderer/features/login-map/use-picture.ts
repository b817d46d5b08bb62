import { useCallback, useEffect, useState } from 'react';
import type { LoginClient } from './login-client.ts';
import type { MapPicture, PictureAsk } from './picture.ts';
import { useNewest } from './use-newest.ts';

/** The map, drawn by the worker anew for each asking and each `summary`: the picture before stays until then. */
export function usePicture(client: LoginClient | null, ask: PictureAsk, summary: unknown): MapPicture | null {
  const [picture, setPicture] = useState<MapPicture | null>(null);
  const draw = useCallback(
    async (asked: PictureAsk) => {
      const drawn = await client?.ask('picture', asked).catch(() => null);
      // A map that cannot be drawn: the lists beside it have everything.
      if (drawn) setPicture(drawn);
    },
    [client],
  );
  const drawNewest = useNewest(draw);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another summary is another picture.
  useEffect(() => {
    if (ask.size.width > 0) drawNewest(ask);
  }, [drawNewest, ask, summary]);
  return picture;
}
