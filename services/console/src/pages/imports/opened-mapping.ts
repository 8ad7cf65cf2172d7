import type { Import } from '@lettergate/client'
import { useState } from 'react'

const waiting: readonly Import['status'][] = ['dry_run_queued', 'dry_run_running', 'ready_for_review']

/** Whether it waits for a mapping: its form is open without a click. */
export const isUnmapped = ({ status, approval_checksum }: Pick<Import, 'status' | 'approval_checksum'>): boolean =>
  status === 'uploaded' || (status === 'failed' && !approval_checksum)

type Mapped = Pick<Import, 'mapping' | 'consent_policy' | 'policy'>

/** The same text for the same mapping and policy. */
export const mappingOf = ({ mapping, consent_policy, policy }: Mapped) =>
  JSON.stringify([mapping, consent_policy, policy])

/** Whether an import was mapped otherwise between two reads. */
export const isMappedMeanwhile = (opened: Mapped, now: Mapped): boolean => mappingOf(opened) !== mappingOf(now)

/** Whether a form that was opened with an earlier read stays open: not after the end of the import, nor when a dry run is repeated. */
export const staysOpen = (opened: Import, now: Import): boolean =>
  isUnmapped(now) || (waiting.includes(now.status) && (!isUnmapped(opened) || isMappedMeanwhile(opened, now)))

/**
 * The import as it was when its mapping form was opened; null while the form is closed. What is typed began with it, also when
 * another user maps the file meanwhile.
 */
export function useOpenedMapping(job: Import, mayMap: boolean) {
  const [opened, setOpened] = useState<Import | null>(null)
  const [isAsked, setAsked] = useState(false)
  // Until the next read an import looks unmapped whose mapping was saved.
  const [saved, setSaved] = useState<Import | null>(null)
  if (opened === null && mayMap && isUnmapped(job) && job !== saved) {
    setOpened(job)
    setAsked(false)
  }
  if (opened !== null && !(mayMap && staysOpen(opened, job))) setOpened(null)
  return {
    opened,
    /** its user opened it, or took the newer mapping into it */
    isAsked,
    open: () => {
      setOpened(job)
      setAsked(true)
    },
    close: () => setOpened(null),
    closeSaved: () => {
      setOpened(null)
      setSaved(job)
    },
  }
}
