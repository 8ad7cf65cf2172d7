import type { ReactNode } from 'react'

/** What a list says in place of options. Nothing else than options may be in it. */
export const NoChoice = ({ children }: { children: ReactNode }) => (
  <span role="option" aria-disabled aria-selected={false}>
    {children}
  </span>
)
