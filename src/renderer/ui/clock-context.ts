import { createContext, useContext } from 'react';
import type { ClockSetting } from '#shared/model/clock.ts';

/** The time zone setting, supplied by the app; UTC by default. */
export const ClockContext = createContext<ClockSetting>('utc');

export const useClock = (): ClockSetting => useContext(ClockContext);
