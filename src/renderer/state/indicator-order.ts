/** The source of the indicators being copied: a dialog over every screen. */
import { create } from 'zustand';
import type { IndicatorSourceRef } from '#shared/bridge/operations.ts';

export interface IndicatorOrder {
  source: IndicatorSourceRef;
  /** "4 emails", or the subject of one. */
  of: string;
  defanged: boolean;
  /** Prefixes each indicator with its type. */
  typed?: boolean;
}

export const useIndicatorOrder = create<{ order: IndicatorOrder | null }>(() => ({ order: null }));
export const openIndicators = (order: IndicatorOrder): void => useIndicatorOrder.setState({ order });
export const closeIndicators = (): void => useIndicatorOrder.setState({ order: null });
