/** A value handed to the login map: it filters for nothing else when it comes to the front. */
import { create } from 'zustand';
import { openTab } from './tabs.ts';

export interface LoginMapPrefill {
  part: 'users' | 'ips';
  value: string;
}

const useStore = create<{ prefill: LoginMapPrefill | null }>(() => ({ prefill: null }));

/** The prefill that waits; the map calls `takeLoginMapPrefill` when it has it. */
export const useLoginMapPrefill = (): LoginMapPrefill | null => useStore(({ prefill }) => prefill);

export function takeLoginMapPrefill(): LoginMapPrefill | null {
  const { prefill } = useStore.getState();
  useStore.setState({ prefill: null });
  return prefill;
}

/** Opens the login map on the logins of one user or address. */
export function openLoginMapFor(prefill: LoginMapPrefill): void {
  useStore.setState({ prefill });
  openTab({ screen: 'login-map' });
}
