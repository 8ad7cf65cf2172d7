import type { ReactNode } from 'react'
import { Link } from 'wouter'

/** A link to another page of the console. */
export const PageLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <Link href={to} className="link mantine-focus-auto">
    {children}
  </Link>
)
