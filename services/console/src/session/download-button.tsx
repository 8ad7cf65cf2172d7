import { dataOf, type Result } from '@lettergate/client'
import { Button } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { fieldInWords, type FieldLabels } from '../parts/field-in-words.ts'
import { sayFailed } from '../parts/toasts.tsx'
import { hasSession } from './use-me.ts'

interface Props {
  href: string
  /** the same file by the client */
  read: () => Promise<Result<string>>
  /** what the page calls the filters, for a refusal */
  labels?: FieldLabels
  children: ReactNode
}

/**
 * Downloads a file of the service. The service is asked before: the browser would only say that the download failed, without the
 * reason. An answer without a body does not say why either, so a refused file is read by the client.
 */
export function DownloadButton({ href, read, labels, children }: Props) {
  const [isAsking, setAsking] = useState(false)
  const download = async (link: HTMLAnchorElement) => {
    setAsking(true)
    try {
      if (!(await hasSession())) return
      const head = await fetch(href, { method: 'HEAD' }).catch(() => null)
      if (!head?.ok) dataOf(await read())
      ;(link.cloneNode() as HTMLAnchorElement).click()
    } catch (error) {
      sayFailed('The file was not downloaded', error, labels && { inWords: (problem) => fieldInWords(problem, labels) })
    } finally {
      setAsking(false)
    }
  }
  return (
    <Button
      component="a"
      href={href}
      download
      variant="default"
      size="compact-sm"
      loading={isAsking}
      onClick={(event) => {
        event.preventDefault()
        if (!isAsking) void download(event.currentTarget)
      }}
    >
      {children}
    </Button>
  )
}
