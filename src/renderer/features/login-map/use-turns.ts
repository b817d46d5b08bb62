import { startTransition, useEffect, useState } from 'react';

/**
 * 0 until `ready`, then one more with each frame up to `most`: panels that fill in turn, where hundreds of elements
 * in one frame would hold up the window. Once filled they all follow at once.
 */
export function useTurns(ready: boolean, most: number): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (!ready || turn === most) return undefined;
    const frame = requestAnimationFrame(() => startTransition(() => setTurn(turn + 1)));
    return () => cancelAnimationFrame(frame);
  }, [ready, turn, most]);
  return turn;
}
