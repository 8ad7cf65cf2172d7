import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { pageFromHere } from './pages.ts'

/** A link to another page of the console. */
export const PageLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <Link href={to} className="link mantine-focus-auto">
    {children}
  </Link>
)

/** A link to a page of this workspace or of the platform, by its title. */
export function PageLinkFromHere({ path }: { path: string }) {
  const { to, title } = pageFromHere(path)
  return <PageLink to={to}>{title}</PageLink>
}
