import { createContext, useCallback, useMemo, useState, type ReactNode } from 'react'

interface Host {
  show: (id: string, dialog: ReactNode) => void
  close: (id: string) => void
}

export const DialogHost = createContext<Host>({ show: () => {}, close: () => {} })

/** A page and the dialog that a button of it opened. The dialog stays when its button goes, such as with the row of an object that somebody else changed. */
export function WithDialog({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<{ id: string; dialog: ReactNode } | null>(null)
  const show = useCallback((id: string, dialog: ReactNode) => setOpen({ id, dialog }), [])
  const close = useCallback((id: string) => setOpen((now) => (now?.id === id ? null : now)), [])
  const host = useMemo(() => ({ show, close }), [show, close])
  return (
    <DialogHost value={host}>
      {children}
      {open?.dialog}
    </DialogHost>
  )
}
