import { Fragment, type ReactNode } from 'react'
import { Moment } from './moment.tsx'
import { splitAtMoments } from './moments-in-text.ts'

/** A text of the service, whose moments are shown like others of the console. */
export const withMoments = (text: string): ReactNode =>
  splitAtMoments(text).map((part, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- the parts of one text
    <Fragment key={index}>{index % 2 === 1 ? <Moment at={part} /> : part}</Fragment>
  ))
