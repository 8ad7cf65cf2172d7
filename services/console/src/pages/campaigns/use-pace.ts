import { useEffect, useState } from 'react'
import { paceOf, type PaceSample } from './pace.ts'

/** How fast a run sends, from the answers of the last half minute. */
export function usePace(sent: number, left: number, isSending: boolean): { rate?: string; timeLeft?: string } {
  const [samples, setSamples] = useState<PaceSample[]>([])
  useEffect(() => {
    const at = Date.now()
    setSamples((before) => [...before.filter((sample) => at - sample.at < 30_000), { at, sent }])
  }, [sent])
  return isSending ? paceOf(samples, left) : {}
}
