import { createContext, useContext } from 'react';
import type { ClockSetting } from '#shared/model/clock.ts';

/** The one clock setting; the app supplies it, UTC without. */
export const ClockContext = createContext<ClockSetting>('utc');

export const useClock = (): ClockSetting => useContext(ClockContext);
