import { lazy, type ComponentType, type LazyExoticComponent } from 'react'

/** A part of the program could not be loaded: the network failed, or a new release replaced it. */
export class PartMissing extends Error {}

/** A part of the program that is loaded at its first use. */
export const lazyPart = <Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> =>
  lazy(() =>
    load().catch((cause: unknown) => {
      throw new PartMissing('A part of the console could not be loaded.', { cause })
    }),
  )
