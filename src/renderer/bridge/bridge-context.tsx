import { createContext, type JSX, type ReactNode, useContext } from 'react';
import type { Bridge } from '#shared/bridge/bridge.ts';

const BridgeContext = createContext<Bridge | null>(null);

export function BridgeProvider({ bridge, children }: { bridge: Bridge; children: ReactNode }): JSX.Element {
  return <BridgeContext value={bridge}>{children}</BridgeContext>;
}

export function useBridge(): Bridge {
  const bridge = useContext(BridgeContext);
  if (bridge === null) throw new Error('useBridge needs a BridgeProvider above it');
  return bridge;
}
