import { z } from 'zod';

/** The page's policy forbids eval. zod would try it once a load, which a browser reports; it must be told before any schema is made. */
z.config({ jitless: true });
