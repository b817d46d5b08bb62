/** Dialogs and overlays that any part of the window can open. */
import { create } from 'zustand';
import type { ConnectionKind } from '#shared/bridge/operations.ts';

export interface ConnectionForm {
  /** Null for a new connection. */
  id: string | null;
  kind: ConnectionKind;
}

interface Store {
  palette: { text: string } | null;
  keys: boolean;
  connection: ConnectionForm | null;
  secrets: boolean;
  diagnostics: boolean;
}

export const useOverlays = create<Store>(() => ({
  palette: null,
  keys: false,
  connection: null,
  secrets: false,
  diagnostics: false,
}));

export const openPalette = (text = ''): void => useOverlays.setState({ palette: { text } });
export const closePalette = (): void => useOverlays.setState({ palette: null });
export const showKeys = (keys: boolean): void => useOverlays.setState({ keys });
export const openConnectionForm = (connection: ConnectionForm): void => useOverlays.setState({ connection });
export const closeConnectionForm = (): void => useOverlays.setState({ connection: null });
export const showSecrets = (secrets: boolean): void => useOverlays.setState({ secrets });
export const showDiagnostics = (diagnostics: boolean): void => useOverlays.setState({ diagnostics });
