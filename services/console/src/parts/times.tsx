import { useLocalStorage } from '@mantine/hooks'
import { createContext, useContext, useMemo, type ReactNode } from 'react'

/** The zone of the browser. */
export const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone

interface Times {
  isUtc: boolean
  /** shows all times in UTC, or in the zone of the user again */
  toggle: () => void
}

const Context = createContext<Times>({ isUtc: false, toggle: () => undefined })

/** How the pages inside show times. The choice is kept in the browser. */
export function TimesProvider({ children }: { children: ReactNode }) {
  const [isUtc, setUtc] = useLocalStorage({
    key: 'lettergate-times-in-utc',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  const times = useMemo(() => ({ isUtc, toggle: () => setUtc((before) => !before) }), [isUtc, setUtc])
  return <Context value={times}>{children}</Context>
}

export const useTimes = (): Times => useContext(Context)
