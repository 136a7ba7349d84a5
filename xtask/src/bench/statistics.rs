//! Medians, means and ranges. Every time is in milliseconds.

/// A middle and the least and greatest of what it is the middle of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least.
    pub low: f64,
    /// The median.
    pub middle: f64,
    /// The greatest.
    pub high: f64,
}

impl Range {
    /// Of some values; `None` without any.
    pub fn of(values: &[f64]) -> Option<Self> {
        let low = values.iter().copied().reduce(f64::min)?;
        let high = values.iter().copied().reduce(f64::max)?;
        Some(Self { low, middle: median(values)?, high })
    }

    /// Each divided by the same.
    pub fn over(self, base: f64) -> Self {
        Self { low: self.low / base, middle: self.middle / base, high: self.high / base }
    }
}

/// The middle one, or the mean of the two in the middle.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some((lower + upper) / 2.0)
}

/// `None` without any value.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The figure of the paper's protocol: the mean of all but the first.
pub fn mean_without_first(iterations: &[f64]) -> Option<f64> {
    mean(iterations.get(1..)?)
}

/// `None` without any value.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logarithms: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (logarithms / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_holds_its_median() {
        assert_eq!(Range::of(&[3.0, 1.0, 2.0]), Some(Range { low: 1.0, middle: 2.0, high: 3.0 }));
        assert_eq!(Range::of(&[]), None);
    }

    #[test]
    fn means_are_as_defined() {
        assert_eq!((mean(&[1.0, 3.0]), mean(&[])), (Some(2.0), None));
        assert_eq!(mean_without_first(&[100.0, 1.0, 3.0]), Some(2.0));
        assert_eq!(mean_without_first(&[100.0]), None);
        assert!((geometric_mean(&[1.0, 4.0]).unwrap() - 2.0).abs() < 1e-12);
    }
}
