import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { sayFailed } from '../parts/toasts.tsx'
import { hasSession } from './use-me.ts'

/** Downloads a file of the service. A session that ended is noticed before: the browser would only say that the download failed. */
export function DownloadButton({ href, children }: { href: string; children: ReactNode }) {
  const download = async (link: HTMLAnchorElement) => {
    try {
      if (await hasSession()) (link.cloneNode() as HTMLAnchorElement).click()
    } catch (error) {
      sayFailed('The file was not downloaded', error)
    }
  }
  return (
    <Button
      component="a"
      href={href}
      download
      variant="default"
      size="compact-sm"
      onClick={(event) => {
        event.preventDefault()
        void download(event.currentTarget)
      }}
    >
      {children}
    </Button>
  )
}
