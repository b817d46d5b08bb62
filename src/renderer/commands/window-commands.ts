/** What the window offers on every screen. */
import {
  AddColumnRight,
  Cross,
  Cube,
  Document,
  FolderOpen,
  KeyCommand,
  Office,
  Plus,
  Undo,
} from '@blueprintjs/icons';
import { goOffline, openDemo, openEvidence } from '#renderer/state/connection-actions.ts';
import { openGuide } from '#renderer/state/guide.ts';
import { openQuery } from '#renderer/state/navigation.ts';
import { openConnectionForm, openPalette, showKeys } from '#renderer/state/overlays.ts';
import { splitTabs } from '#renderer/state/split.ts';
import { activeTab, closeOtherTabs, closeTab, reopenTab, stepTab, useTabs } from '#renderer/state/tabs.ts';
import { GlyphCloudOff } from '#renderer/ui/glyphs.tsx';
import { printFront } from '#renderer/ui/printing.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { Command } from './command.tsx';
import { EVERYWHERE } from './keys.ts';

export const WINDOW = {
  palette: { ...EVERYWHERE.palette, run: () => openPalette() },
  shortcuts: { ...EVERYWHERE.shortcuts, icon: KeyCommand, run: () => showKeys(true) },
  guide: { ...EVERYWHERE.guide, run: () => openGuide() },
  print: { ...EVERYWHERE.print, run: () => void printFront() },
  newQuery: { ...EVERYWHERE.newQuery, icon: Plus, run: () => openQuery() },
  nextTab: { ...EVERYWHERE.nextTab, run: () => stepTab(1) },
  previousTab: { ...EVERYWHERE.previousTab, run: () => stepTab(-1) },
  closeTab: { ...EVERYWHERE.closeTab, run: () => closeTab(activeTab()?.id ?? '') },
  reopenTab: { ...EVERYWHERE.reopenTab, icon: Undo, run: () => reopenTab() },
  closeOthers: { ...EVERYWHERE.closeOthers, icon: Cross, run: () => closeOtherTabs() },
  split: { ...EVERYWHERE.split, icon: AddColumnRight, run: () => splitTabs() },
} satisfies Record<string, Command>;

/** Named by what it does now. */
export const splitNow = (): Command => ({
  ...WINDOW.split,
  label: useTabs.getState().split === null ? 'Split view' : 'End split view',
});

/** The ways to add a source of mail, and the demo tenant. */
export const sourceCommands = (bridge: Bridge) =>
  ({
    tenant: {
      text: 'Add a tenant…',
      icon: Office,
      run: () => openConnectionForm({ id: null, kind: 'tenant' }),
    },
    folder: {
      text: 'Open a folder of mail…',
      icon: FolderOpen,
      run: () => openEvidence(bridge, 'evidence-folder'),
    },
    file: { text: 'Open a mail file…', icon: Document, run: () => openEvidence(bridge, 'evidence-file') },
    demo: { text: 'Open the demo tenant', icon: Cube, run: () => openDemo(bridge) },
  }) satisfies Record<string, Command>;

export const offlineCommand = (isOffline: boolean): Command => ({
  text: isOffline ? 'Go online' : 'Go offline',
  icon: GlyphCloudOff,
  run: () => goOffline(!isOffline),
});
