// Users who log in to the brokers by SCRAM. A password goes out and never comes back.
export const MECHANISMS = ["SCRAM-SHA-256", "SCRAM-SHA-512"] as const;
export type Mechanism = (typeof MECHANISMS)[number];

export const ITERATIONS_MIN = 4096;
export const ITERATIONS_MAX = 16_384;

export interface ScramUser {
  name: string;
  credentials: { mechanism: string; iterations: number }[];
}

export interface NewUser {
  name: string;
  password: string;
  mechanisms: Mechanism[];
  iterations: number;
}
