import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'

/** A link to another page of the console. */
export const PageLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <Anchor component={Link} href={to} underline="always" inherit>
    {children}
  </Anchor>
)
