"""Files checked by the workers of a Dask cluster, in parts, and told as one machine tells them."""
